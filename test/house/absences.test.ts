// What ARCHITECTURE.md says never happens, as far as a look at the sources can show.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCES = globSync("src/**/*.ts", { cwd: ROOT })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => ({ file, code: withoutComments(readFileSync(join(ROOT, file), "utf8")) }));

/** Comments may name what the code must not do. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

/** Files whose code has the pattern, without those in the folders that may. */
function having(pattern: RegExp, folders: readonly string[]): readonly string[] {
  const found = SOURCES.filter(({ code }) => pattern.test(code)).map(({ file }) => file);
  expect(found).not.toEqual([]);
  return found.filter((file) => !folders.some((folder) => file.startsWith(folder)));
}

test("the clock is read only by role/clocks.ts, by threads of store and runtime, and by clients", () => {
  // The drivers run on threads of the runtime; their other files get timers and a clock.
  const drivers = ["src/drivers/open-driver-thread.ts", "src/drivers/timers.ts"];
  const threads = ["src/store/", "src/runtime/", ...drivers, "src/client/", "src/cli/"];
  const may = ["src/role/", ...threads, "src/event-loop.ts"];
  expect(having(/\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b/, may)).toEqual([]);
  expect(having(/\bDate\.now\b|\bnew Date\(\)/, threads)).toEqual(["src/role/clocks.ts"]);
});

test("no file names node:sqlite but those of the two SQLite folders, and no type is imported where fences do not look", () => {
  expect(having(/node:sqlite/, ["src/store/sqlite/", "src/store/series/sqlite/"])).toEqual([]);
  expect(having(/import\("[^"]+"\)\.[A-Z]/, [])).toEqual(["src/cli/ask-on-terminal.ts"]);
});

test("core and service make no random numbers and no ids, but for the nonces of sealed values", () => {
  const random =
    /\bMath\.random\b|\brandom(UUID|Int)\b|\bgetRandomValues\b|import [^;]*\brandomBytes\b[^;]*"node:crypto"/;
  expect(having(random, []).filter((file) => /^src\/(core|service)\//.test(file))).toEqual([
    "src/service/access/seal.ts",
  ]);
});

test("only the folders of databases contain SQL, and only two files import node:sqlite", () => {
  const sql = /\bSELECT\s+[\w*(]|\bINSERT (OR \w+ )?INTO\b|\bDELETE FROM\b|\bPRAGMA \w|\bCREATE (TABLE|INDEX)\b/;
  const folders = ["records", "sqlite", "postgres", "series/sqlite", "series/postgres"].map(
    (name) => `src/store/${name}/`,
  );
  expect(having(sql, folders)).toEqual([]);
  expect(having(/"node:sqlite"/, ["src/store/sqlite/connection.ts", "src/store/sqlite/lock-folder.ts"])).toEqual([]);
});

test("above store/series/sqlite the telemetry engine does not know SQLite, not even by a name", () => {
  const own = having(/sqlite|telemetry\.db/i, ["src/store/series/sqlite/"]);
  expect(own.filter((file) => file.startsWith("src/store/series/"))).toEqual([]);
});

test("an index with `?? 0`, which hides a wrong one, stands only in files that say that their loops are hot", () => {
  const files = having(/[^"]\] \?\? 0/, []);
  expect(files.filter((file) => !readFileSync(join(ROOT, file), "utf8").includes("// Hot loops: "))).toEqual([]);
});

test("in the service only mqtt knows topics", () => {
  expect(having(/v1\/(from|to)\//, ["src/mqtt/", "src/cli/"])).toEqual([]);
});

test("only main imports role", () => {
  expect(having(/"#role\//, ["src/role/"])).toEqual(["src/main.ts"]);
});

test("messages to threads are posted by one function", () => {
  expect(having(/\.postMessage\(/, [])).toEqual(["src/core/thread/try-post.ts"]);
});
