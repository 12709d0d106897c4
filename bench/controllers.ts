// A week of the demo's plant in virtual time, without rules and with two ready controllers: surplus charging and a peak limit. It prints
// what the meter says of both, and draws the quarters of an hour into docs/img/controllers.svg. The same on every machine.
// Usage: npm run bench -- controllers [--from 2026-06-15]; the picture is of the usual week alone.
import { writeFileSync } from "node:fs";
import { controllerOf } from "#core/rule/controllers/all-controllers.ts";
import { renderController } from "#core/rule/controllers/render-controller.ts";
import { DEMO_RULES } from "#demo/demo-rules.ts";
import { DEMO_RULE_SITE, PlantLoop, type Quarter } from "../test/support/plant-loop.ts";
import { drawWeek } from "./controllers/draw-week.ts";

const USUAL = "2026-11-09";
const given = process.argv.indexOf("--from");
const DAY = given < 0 ? USUAL : (process.argv[given + 1] ?? "");
if (!/^\d{4}-\d{2}-\d{2}$/.test(DAY)) throw new Error("--from needs a day such as 2026-06-15");
const FROM = `${DAY}T00:00:00Z`;
const DAYS = 7;
const PICTURE = new URL("../docs/img/controllers.svg", import.meta.url);

/** Those that run the demo site. */
const rules = Object.fromEntries(
  DEMO_RULES.map(({ slug, controller: id, parameters }) => {
    const controller = controllerOf(id);
    const text = controller && renderController(controller, parameters, DEMO_RULE_SITE).text;
    if (text === undefined) throw new Error(`${slug} cannot be written`);
    return [slug, text];
  }),
);

interface Week {
  readonly quarters: readonly Quarter[];
  readonly figures: Readonly<Record<string, number>>;
}

function week(texts: Readonly<Record<string, string>>): Week {
  const loop = new PlantLoop({ from: FROM, rules: texts });
  const soc = loop.plant.battery.soc;
  let loadWh = 0;
  const hours = 10 / 3_600;
  loop.run(24 * DAYS, ({ meter, inverter, battery }) => {
    const taken = meter.power + inverter.acPower + battery.power;
    loadWh += taken * hours;
  });
  const { quarters } = loop;
  const kWh = (of: (quarter: Quarter) => number) => quarters.reduce((sum, one) => sum + of(one) / 4_000, 0);
  const [imported, exported, sun, car] = [
    kWh(({ importW }) => importW),
    kWh(({ exportW }) => exportW),
    kWh(({ sunW }) => sunW),
    kWh(({ carW }) => carW),
  ];
  return {
    quarters,
    figures: {
      import_peak_w: Math.round(Math.max(...quarters.map(({ importW }) => importW))),
      import_kwh: tenths(imported),
      export_kwh: tenths(exported),
      car_kwh: tenths(car),
      sun_kwh: tenths(sun),
      // Of the sun's energy, what did not go to the grid.
      self_use_percent: tenths((1 - exported / sun) * 100),
      // Of the energy that the site used, what did not come from the grid.
      autarky_percent: tenths((1 - (imported * 1_000) / loadWh) * 100),
      battery_percent_begin: tenths(soc),
      battery_percent_end: tenths(loop.plant.battery.soc),
      writes: loop.writes.length,
    },
  };
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

const [without, withRules] = [week({}), week(rules)];
if (DAY === USUAL) {
  const drawn = drawWeek({ from: Date.parse(FROM), without: without.quarters, withRules: withRules.quarters });
  writeFileSync(PICTURE, drawn);
}
console.log(
  JSON.stringify({
    bench: "controllers",
    days: DAYS,
    from: FROM,
    rules: Object.keys(rules),
    without: without.figures,
    with: withRules.figures,
    peak_ratio:
      tenths(((withRules.figures["import_peak_w"] ?? 0) / (without.figures["import_peak_w"] ?? 1)) * 100) / 100,
  }),
);
