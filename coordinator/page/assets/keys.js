// Keys for the whole page. `?` lists them.
export function bindKeys({ board }) {
  const help = document.getElementById("keys");
  document.getElementById("show-keys")?.addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || help?.open) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "?") {
      help?.showModal();
    } else if (event.key === "b") {
      board?.element.querySelector('[role=gridcell][tabindex="0"]')?.focus();
    } else if (event.key === "m") {
      document.querySelector("input[name=move]")?.focus();
    } else {
      const link = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
      if (!link) return;
      link.click();
    }
    event.preventDefault();
  });
}
