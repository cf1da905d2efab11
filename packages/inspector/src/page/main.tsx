// Where the page begins. Owns nothing but that.

import { render } from "preact";
import { App } from "./parts/app.tsx";
import { AppState } from "./app-state.ts";
import { beginTheme } from "./theme.ts";

beginTheme();
const state = new AppState();
state.start();
const place = document.getElementById("app");
if (place !== null) render(<App state={state} />, place);
