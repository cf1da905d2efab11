// A button that copies a text. Owns its words.

import type { VNode } from "preact";
import { useState } from "preact/hooks";

/** The button. */
export function CopyButton({ text, label = "Copy" }: { readonly text: () => string; readonly label?: string }): VNode {
  const [word, setWord] = useState(label);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setWord("Copied");
    } catch {
      setWord("Not allowed");
    }
    setTimeout(setWord, 1500, label);
  };
  return (
    <button type="button" class="button" onClick={() => void copy()} aria-live="polite">
      {word}
    </button>
  );
}
