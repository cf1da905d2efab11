// The forms that are recovered, for people: names and spellings. Owns nothing but this view of the table.

import { FORMS } from "./forms.ts";

/** One way in which models write calls into text. */
export interface RescueForm {
  /** The name. */
  readonly name: string;
  /** Who writes it. */
  readonly models: string;
  /** One call in its exact spelling. */
  readonly example: string;
}

/**
 * Every form that `rescue` recovers.
 *
 * @example
 * for (const { name, models } of rescueForms) console.log(name, models);
 */
export const rescueForms: readonly RescueForm[] = FORMS.map(({ name, models, example }) => ({ name, models, example }));
