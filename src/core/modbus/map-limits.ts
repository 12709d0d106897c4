/** A register map is read where its device's script runs, beside other devices. */
export const MAX_MAP_BYTES = 64 * 1024;
/** Maps that a script may open. */
export const MAX_MAPS = 16;
/** Of telemetry, properties, alerts and writes together. */
export const MAX_MAP_REGISTERS = 1_000;
export const MAX_MAP_GROUPS = 32;
