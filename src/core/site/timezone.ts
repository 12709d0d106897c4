/** Names that were asked for before: looking one up is slow. */
const known = new Set<string>();
const MAX_KNOWN = 1_000;

/** Whether the name is a time zone this program knows, by its IANA name. */
export function isTimezone(name: string): boolean {
  if (known.has(name)) return true;
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    if (known.size < MAX_KNOWN) known.add(name);
    return true;
  } catch {
    return false;
  }
}

const DAY = 86_400_000;

/** Milliseconds from UTC to the zone's clock outside summer time; 0 for an unknown zone. */
export function standardOffset(name: string): number {
  if (!isTimezone(name)) return 0;
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: name,
    hour: "numeric",
    minute: "numeric",
    day: "numeric",
    hour12: false,
  });
  const offsets = [Date.UTC(2024, 0, 15), Date.UTC(2024, 6, 15)].map((at) => {
    const parts = new Map(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const local = Date.UTC(2024, 0, parts.get("day") ?? 15, (parts.get("hour") ?? 0) % 24, parts.get("minute") ?? 0);
    return local - Date.UTC(2024, 0, 15);
  });
  return Math.max(Math.min(...offsets), -DAY);
}
