import type { Blueprint, Device } from "#client/resources.ts";

export type Assignment = {
  readonly device: Device;
  readonly blueprint: Blueprint;
  /** What the device had before; undefined when it had none. */
  readonly former: Blueprint | undefined;
};

let last = $state.raw<Assignment>();

/** The blueprint that was given to a device last, so that it can be taken back. */
export const lastAssignment = {
  get value(): Assignment | undefined {
    return last;
  },
  set(assignment: Assignment | undefined): void {
    last = assignment;
  },
};
