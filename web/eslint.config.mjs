// SPDX-License-Identifier: Apache-2.0
// For everything that runs in a browser or in node: web/ and tests/web/. npm run lint starts it in the repository's root.
import js from "@eslint/js";
import globals from "globals";

const browser = ["web/src/**/*.js", "web/serve/**/*.js"];

export default [
  {ignores: ["web/dist/", "**/node_modules/"]},
  js.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "no-implicit-globals": "error",
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {files: browser, languageOptions: {globals: globals.browser}},
  {files: ["web/serve/**/*.js"], languageOptions: {sourceType: "script"}},
  {files: ["web/*.mjs"], languageOptions: {globals: globals.node}},
  // Tests run in node and hand functions to the page.
  {
    files: ["tests/web/**/*.mjs"],
    languageOptions: {globals: {...globals.node, ...globals.browser}},
  },
];
