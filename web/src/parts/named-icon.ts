import battery from "virtual:icon/battery-charging";
import chip from "virtual:icon/chip";
import cloud from "virtual:icon/cloud-outline";
import cog from "virtual:icon/cog";
import switchIcon from "virtual:icon/electric-switch";
import evStation from "virtual:icon/ev-station";
import fuel from "virtual:icon/fuel";
import gasCylinder from "virtual:icon/gas-cylinder";
import network from "virtual:icon/lan";
import lightbulb from "virtual:icon/lightbulb";
import bolt from "virtual:icon/lightning-bolt";
import lock from "virtual:icon/lock";
import unlock from "virtual:icon/lock-open";
import meter from "virtual:icon/meter-electric-outline";
import molecule from "virtual:icon/molecule";
import office from "virtual:icon/office-building";
import pause from "virtual:icon/pause";
import valve from "virtual:icon/pipe-valve";
import play from "virtual:icon/play";
import power from "virtual:icon/power";
import restart from "virtual:icon/restart";
import solar from "virtual:icon/solar-power";
import stop from "virtual:icon/stop";
import thermometer from "virtual:icon/thermometer";
import thermostat from "virtual:icon/thermostat";
import tower from "virtual:icon/transmission-tower";
import tune from "virtual:icon/tune";
import water from "virtual:icon/water";
import wind from "virtual:icon/wind-turbine";

/** What stands for a kind of device whose manifest names no icon. */
const OF_CATEGORY: ReadonlyMap<string, string> = new Map([
  ["battery-systems", battery],
  ["control", cog],
  ["data-providers", cloud],
  ["electric-vehicles", evStation],
  ["electrolysers", molecule],
  ["fuel-cells", molecule],
  ["fuel-generators", fuel],
  ["gas-equipment", valve],
  ["hvac", thermostat],
  ["hydrogen-storage", gasCylinder],
  ["loads", office],
  ["networking", network],
  ["power-distribution", switchIcon],
  ["power-meters", meter],
  ["sensors", thermometer],
  ["solar-generators", solar],
  ["water-treatment", water],
  ["wind-generators", wind],
]);

/**
 * Icons that are here already, so that they need no loading: those of categories, and those that most commands have. Each is some
 * hundred bytes, where a file of icons is more than a thousand.
 */
const BUNDLED: ReadonlyMap<string, string> = new Map([
  ["battery-charging", battery],
  ["chip", chip],
  ["cloud-outline", cloud],
  ["cog", cog],
  ["electric-switch", switchIcon],
  ["ev-station", evStation],
  ["fuel", fuel],
  ["gas-cylinder", gasCylinder],
  ["lan", network],
  ["lightbulb", lightbulb],
  ["lightning-bolt", bolt],
  ["lock", lock],
  ["lock-open", unlock],
  ["meter-electric-outline", meter],
  ["molecule", molecule],
  ["office-building", office],
  ["pause", pause],
  ["pipe-valve", valve],
  ["play", play],
  ["power", power],
  ["restart", restart],
  ["solar-power", solar],
  ["stop", stop],
  ["thermometer", thermometer],
  ["thermostat", thermostat],
  ["transmission-tower", tower],
  ["tune", tune],
  ["water", water],
  ["wind-turbine", wind],
]);

export function iconOfCategory(category: string | undefined): string {
  return OF_CATEGORY.get(category ?? "") ?? chip;
}

/** The icon at once when it is bundled, otherwise a promise of it. Manifests may write the name with a prefix. */
export function findIcon(name: string): string | Promise<string | undefined> {
  const plain = name.replace(/^mdi[-:]/, "");
  const bundled = BUNDLED.get(plain);
  if (bundled !== undefined) return bundled;
  if (!/^[a-z0-9-]{1,60}$/.test(plain)) return Promise.resolve(undefined);
  return import("virtual:icon-groups").then(({ default: load }) => load(plain));
}
