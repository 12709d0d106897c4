import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { compress } from "./build/compress.ts";
import { icons } from "./build/icons.ts";
import { layers } from "./build/layers.ts";
import { preloadFont } from "./build/preload-font.ts";
import { reportSize } from "./build/report-size.ts";
import { stampWorker } from "./build/stamp-worker.ts";

const path = (name: string) => new URL(name, import.meta.url).pathname;

/** Where `npm run dev -w web` finds a gateway. */
const gateway = process.env["BUSBAR_URL"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  root: path("."),
  plugins: [layers(), svelte(), icons(), preloadFont(), reportSize(), stampWorker(path("public")), compress()],
  // The policy of the page allows a worker as a file of its own.
  worker: { format: "es", plugins: () => [layers()] },
  build: {
    outDir: path("dist"),
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows fonts and pictures as files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    // What the first screen needs is one script and one style: on a slow phone each of 40 small files took its own 10 ms.
    // What the overview shows after its first picture is one more.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "page", test: /\/src\/app\/app\.svelte$|icon-groups$|rolldown\/runtime/, priority: 2 },
            { name: "overview", test: /\/src\/(?:site\/day-card|commands\/card-commands)\.svelte$/, priority: 1 },
            { name: "prices", test: /\/src\/site\/price-steps\.ts$/ },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ["/v3", "/telemetry", "/docs", "/openapi.json", "/schemas", "/healthz", "/readyz"].map((prefix) => [
        prefix,
        gateway,
      ]),
    ),
  },
});
