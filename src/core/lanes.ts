/** Runs tasks of the same key one after the other, and tasks of different keys side by side. */
export type Lanes = (key: string, task: () => Promise<void>) => Promise<void>;

export function createLanes(): Lanes {
  const lanes = new Map<string, Promise<void>>();
  return (key, task) => {
    // A failure goes to the caller that waits for this task. The next task is still run.
    const before = lanes.get(key);
    const done = before === undefined ? task() : before.then(task, task);
    lanes.set(key, done);
    const leave = () => {
      if (lanes.get(key) === done) lanes.delete(key);
    };
    done.then(leave, leave);
    return done;
  };
}
