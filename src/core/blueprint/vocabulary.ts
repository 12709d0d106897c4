export const CATEGORIES = [
  "battery-systems",
  "control",
  "data-providers",
  "electric-vehicles",
  "electrolysers",
  "fuel-cells",
  "fuel-generators",
  "gas-equipment",
  "hvac",
  "hydrogen-storage",
  "loads",
  "networking",
  "power-distribution",
  "power-meters",
  "sensors",
  "solar-generators",
  "water-treatment",
  "wind-generators",
] as const;
export type Category = (typeof CATEGORIES)[number];

const HUES = ["blue", "yellow", "green", "red", "cyan", "pink", "purple", "orange"] as const;
const SHADES = ["-lighter", "-light", "", "-dark", "-darker"] as const;
export type EnumColor = `${(typeof HUES)[number]}${(typeof SHADES)[number]}`;
export const ENUM_COLORS: readonly EnumColor[] = HUES.flatMap((hue) =>
  SHADES.map((shade): EnumColor => `${hue}${shade}`),
);

/** Formats of the string type. The interface names none, so an unknown one is a warning and is not checked. */
export const STRING_FORMATS = [
  "connection_uri",
  "date",
  "date-time",
  "datetime",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "multiline",
  "password",
  "time",
  "timezone",
  "uri",
  "url",
  "uuid",
] as const;
