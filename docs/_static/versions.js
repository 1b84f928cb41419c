// Fills the list of versions at the foot of the sidebar. `documentedVersions` is the site's; a version that stands alone
// has none, and shows no list.
(() => {
  if (typeof documentedVersions === "undefined") return;
  const place = document.querySelector(".versions");
  const { name, page, site } = place.dataset;
  const select = place.querySelector("select");
  for (const version of documentedVersions.versions) {
    const newest = version.name === documentedVersions.newest ? " (newest)" : "";
    select.add(new Option(version.name + newest, version.name, false, version.name === name));
  }
  select.addEventListener("change", () => {
    const chosen = documentedVersions.versions.find((version) => version.name === select.value);
    // The same page, if that version has it.
    window.location.href = `${site}${chosen.name}/${chosen.pages.includes(page) ? page : "index.html"}`;
  });
  place.querySelector("label").hidden = false;
})();
