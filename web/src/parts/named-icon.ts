import battery from "virtual:icon/battery-charging";
import chip from "virtual:icon/chip";
import cloud from "virtual:icon/cloud-outline";
import cog from "virtual:icon/cog";
import switchIcon from "virtual:icon/electric-switch";
import evStation from "virtual:icon/ev-station";
import fuel from "virtual:icon/fuel";
import gasCylinder from "virtual:icon/gas-cylinder";
import network from "virtual:icon/lan";
import meter from "virtual:icon/meter-electric-outline";
import molecule from "virtual:icon/molecule";
import office from "virtual:icon/office-building";
import valve from "virtual:icon/pipe-valve";
import solar from "virtual:icon/solar-power";
import thermometer from "virtual:icon/thermometer";
import thermostat from "virtual:icon/thermostat";
import tower from "virtual:icon/transmission-tower";
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

/** Icons that are here already, so that they need no loading. */
const BUNDLED: ReadonlyMap<string, string> = new Map([
  ["battery-charging", battery],
  ["ev-station", evStation],
  ["molecule", molecule],
  ["solar-power", solar],
  ["transmission-tower", tower],
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
