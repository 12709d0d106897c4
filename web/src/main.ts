import "./style/tokens.css";
import "./style/fonts.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/patterns.css";
import { mount } from "svelte";
import App from "#web/app/app.svelte";

const target = document.getElementById("app");
if (target === null) throw new Error("the page has no element #app");
mount(App, { target });
