/* Needed before the first paint: the theme (of this device, else of the account, else the system's),
   whether results wait on this phone (unsent-banner.js), and whether there is little room (keyboard.js). */
(() => {
  const root = document.documentElement;
  const key = "tenbo-theme";
  const heard = "tenbo-theme-of-account";

  const ofAccount = () => /(?:^|; )tenbo-theme=(light|dark)/.exec(document.cookie)?.[1] ?? null;

  /* The latest choice wins: a new one of the account replaces that of this device. */
  const heed = (theme) => {
    if (theme && localStorage.getItem(heard) !== theme) {
      localStorage.setItem(heard, theme);
      localStorage.removeItem(key);
    }
  };

  const stored = () => {
    const theme = ofAccount();
    try {
      heed(theme);
      return localStorage.getItem(key) ?? theme;
    } catch {
      return theme;
    }
  };

  const apply = (theme) => {
    if (theme === "light" || theme === "dark") {
      root.dataset.theme = theme;
    } else {
      delete root.dataset.theme;
    }
  };

  const store = (theme) => {
    try {
      if (theme === "auto" && !ofAccount()) {
        localStorage.removeItem(key);
      } else {
        localStorage.setItem(key, theme);
      }
    } catch {
      /* Private windows may refuse storage; the choice then lasts for this page. */
    }
  };

  const mark = (rail, theme) => {
    for (const button of rail.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.value === theme));
    }
  };

  const waits = () => {
    try {
      return Number(localStorage.getItem("tenbo-unsent")) > 0;
    } catch {
      return false;
    }
  };

  apply(stored());
  root.toggleAttribute("data-unsent", waits());
  root.toggleAttribute("data-low", innerHeight < 480);

  document.addEventListener("DOMContentLoaded", () => {
    for (const rail of document.querySelectorAll("[data-theme-switch]")) {
      mark(rail, stored() ?? "auto");
      rail.hidden = false;
      rail.addEventListener("click", (event) => {
        const button = event.target.closest("button");
        if (button) {
          apply(button.value);
          store(button.value);
          mark(rail, button.value);
        }
      });
    }
  });
})();
