// Rules of the abuser's site. They run inside the server, so stopping means deleting them.
import type { Abuse } from "../abuse.ts";

type Language = "lua" | "yaml";
type Texts = (device: string) => readonly string[];

const CONTROLLED = `blueprint_spec: device/3.0
display_name: Claimed
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: W, display_name: Power}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set the power
    arguments: {power: {type: float, unit: W, min: 0, max: 100000, required: true, display_name: Power}}
.busbar:
  controls:
    power: {command: set_power, argument: power, reads: power, fallback: {value: 0}}
`;

/** Variables of pairs of rules: each is more than the other in turns. */
const LOOPS = Array.from({ length: 8 }, (_, n) => [`loop_${n}_one`, `loop_${n}_other`] as const);

/** These rules, with a device that they may claim and a variable that they may set. */
function ruling(language: Language, texts: Texts): Abuse["start"] {
  return async (world) => {
    const site = `/v3/sites/${world.siteId}`;
    const device = await world.newDevice(await world.upload(CONTROLLED));
    for (const [n, name] of LOOPS.flat().entries())
      await world.ask("owner", "PUT", `${site}/variables/${name}`, { value: n % 2 });
    const slugs: string[] = [];
    for (const [n, text] of texts(device).entries()) {
      const code = Buffer.from(text).toString("base64");
      const slug = `hostile-${device.slice(-8)}-${n}`;
      const body = { slug, script: { code, runtime_version: "V3", language } };
      await world.ask("owner", "POST", `${site}/rule_engine/rules`, body);
      slugs.push(slug);
      world.count("rules");
    }
    return async () => {
      await Promise.all(slugs.map((slug) => world.call("owner", "DELETE", `${site}/rule_engine/rules/${slug}`)));
      await world.call("owner", "DELETE", `/v3/devices/${device}`);
    };
  };
}

const many =
  (count: number, text: (device: string) => string): Texts =>
  (device) =>
    Array.from({ length: count }, () => text(device));

export const RULE_ABUSES: readonly Abuse[] = [
  {
    name: "a rule that claims 10,000 times a second",
    who: "script",
    start: ruling("lua", (device) => [
      `local d, n = enapter.device('${device}'), 0
      while true do
        n = n + 1
        d.claim('power', n % 1000, { lease = '1s' })
      end`,
    ]),
  },
  {
    name: "rules with 200 jobs each that all claim in every turn",
    who: "script",
    start: ruling(
      "lua",
      many(
        8,
        (device) => `local d, n = enapter.device('${device}'), 0
        for job = 1, 200 do
          scheduler.add(1, function() n = n + 1 d.claim('power', n % 1000) end)
        end`,
      ),
    ),
  },
  {
    name: "rules that never pause",
    who: "script",
    start: ruling(
      "lua",
      many(4, () => "while true do end"),
    ),
  },
  {
    name: "rules that take all memory they can get",
    who: "script",
    start: ruling(
      "lua",
      many(8, () => 'local t = {} scheduler.add(1, function() t[#t + 1] = string.rep("m", 200000 + #t) end)'),
    ),
  },
  {
    name: "pairs of rules that start each other",
    who: "script",
    start: ruling("yaml", () =>
      LOOPS.flatMap(([one, other]) => [
        `when: { variable: ${one}, above: { variable: ${other} } }\nthen: { set: ${other}, to: { variable: ${one}, plus: 1 } }\n`,
        `when: { variable: ${other}, above: { variable: ${one} } }\nthen: { set: ${one}, to: { variable: ${other}, plus: 1 } }\n`,
      ]),
    ),
  },
];
