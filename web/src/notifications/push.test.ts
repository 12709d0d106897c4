import { expect, test } from "vitest";
import { nameOfBrowser } from "./push.ts";

test.each([
  ["Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Android, Chrome"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Safari/604.1",
    "iPhone, Safari",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
    "Windows, Edge",
  ],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 15.1; rv:140.0) Gecko/20100101 Firefox/140.0", "Mac, Firefox"],
  ["curl/8", "Browser"],
])("a browser is named by its system and itself: %s", (agent, name) => {
  expect(nameOfBrowser(agent)).toBe(name);
});
