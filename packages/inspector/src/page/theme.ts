// Dark or light. Owns the choice, which the browser keeps, and where the style sheet finds it; without one the system's is
// taken.

/** One of the two. */
export type Theme = "dark" | "light";

const KEY = "unbraid-theme";

/** The theme of the page now. */
export function theme(): Theme {
  return document.documentElement.dataset["theme"] === "dark" ? "dark" : "light";
}

/** Takes the kept choice, or the system's, before anything is drawn. */
export function beginTheme(): void {
  show(kept() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
}

/** Takes the other theme from now on. */
export function toggleTheme(): Theme {
  const other = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, other);
  } catch {
    // A browser may forbid it: then the choice lasts as long as the page.
  }
  show(other);
  return other;
}

function show(chosen: Theme): void {
  document.documentElement.dataset["theme"] = chosen;
}

function kept(): Theme | undefined {
  try {
    const value = localStorage.getItem(KEY);
    return value === "dark" || value === "light" ? value : undefined;
  } catch {
    return undefined;
  }
}
