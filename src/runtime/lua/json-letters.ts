// The form in which JSON documents pass between a script and the host: a letter for each value and what follows it.
// `prelude/10-json.lua` is the other end. Numbers are in little-endian order; counts and lengths have four bytes.

export const LETTER = {
  nil: 110,
  true: 116,
  false: 102,
  /** Of 32 bits. */
  short: 106,
  /** Of 64 bits. */
  integer: 105,
  double: 100,
  text: 115,
  list: 91,
  map: 123,
} as const;
