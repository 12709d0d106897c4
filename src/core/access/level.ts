/** Access levels, weakest first. A level includes every level before it. */
export const ACCESS_LEVELS = ["readonly", "user", "owner", "installer", "vendor", "system"] as const;

export type AccessLevel = (typeof ACCESS_LEVELS)[number];

export function allows(held: AccessLevel, needed: AccessLevel): boolean {
  return ACCESS_LEVELS.indexOf(held) >= ACCESS_LEVELS.indexOf(needed);
}
