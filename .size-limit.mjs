// What one vendor's reader may cost a web page: each protocol entry bundled alone.
import { entries } from "./scripts/packages.mjs";

export default entries
  .filter(({ name }) => name.startsWith("unbraid/protocols/"))
  .map(({ name, built }) => ({ name, path: built, limit: "15 kB", gzip: true }));
