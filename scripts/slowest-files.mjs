// Reporter of vitest: closes a run with a table of the files that took longest. `load` is the time until the first test
// could begin, `tests` the time of the tests with their hooks, and `cpu` the processor time of tests and of the programs that
// they started; all in seconds. After a run of everything it also says how much each folder took, and how many random cases
// and kills there were.
import { IS_LONG, ROUNDS, roundsOf } from "../test/support/rounds.ts";

const ROWS = 25;
/** A run of so many files is one of everything. */
const EVERYTHING = 100;

export default class SlowestFiles {
  onTestRunEnd(modules) {
    const files = modules.map((module) => {
      const { collectDuration, setupDuration, prepareDuration, environmentSetupDuration, duration } =
        module.diagnostic();
      const load = collectDuration + setupDuration + prepareDuration + environmentSetupDuration;
      const processor = module.meta().processorMs ?? 0;
      return {
        name: module.relativeModuleId,
        count: [...module.children.allTests()].length,
        load,
        duration,
        processor,
      };
    });
    if (files.length < 2) return;
    const seconds = (ms) => (ms / 1_000).toFixed(1).padStart(7);
    const row = ({ load, duration, processor, count, name }) =>
      `${seconds(load)}${seconds(duration)}${seconds(processor)}${String(count).padStart(7)}  ${name}`;
    const slowest = files.sort((a, b) => b.load + b.duration - a.load - a.duration).slice(0, ROWS);
    const HEAD = "   load  tests    cpu  count";
    console.log(`\nThe slowest files\n${HEAD}  file\n${slowest.map(row).join("\n")}`);
    console.log(`${row(sumOf(files, `all ${files.length} files`))}\n`);
    if (files.length < EVERYTHING) return;
    const folders = Object.entries(Object.groupBy(files, ({ name }) => folderOf(name)))
      .map(([name, inside]) => sumOf(inside, name))
      .sort((a, b) => b.processor - a.processor);
    console.log(`The folders\n${HEAD}  folder\n${folders.map(row).join("\n")}\n`);
    console.log(`${roundsTable()}\n`);
  }
}

/** `test/api`, `src/store`. */
const folderOf = (name) => name.split("/").slice(0, 2).join("/");

function sumOf(files, name) {
  const total = (of) => files.reduce((sum, file) => sum + file[of], 0);
  return {
    name,
    load: total("load"),
    duration: total("duration"),
    processor: total("processor"),
    count: total("count"),
  };
}

function roundsTable() {
  const other = IS_LONG ? "few" : "many";
  const rows = Object.entries(ROUNDS).map(
    ([what, counts]) => `${String(roundsOf(what)).padStart(9)}${String(counts[other]).padStart(11)}  ${what}`,
  );
  return [`Random cases\n     here  ${IS_LONG ? " npm test" : "test:long"}  what`, ...rows].join("\n");
}
