// The button for dark or light. Owns its sign.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { theme, toggleTheme } from "../theme.ts";

/** The button. */
export function ThemeButton(): VNode {
  const [shown, setShown] = useState(theme);
  const other = shown === "dark" ? "light" : "dark";
  return (
    <button
      id="theme"
      type="button"
      class="icon"
      aria-label={`Make the page ${other}`}
      title={`${other} (t)`}
      onClick={() => setShown(toggleTheme())}
    >
      {shown === "dark" ? "☀" : "☾"}
    </button>
  );
}
