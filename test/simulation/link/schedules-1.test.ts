import { playSchedules } from "./play-schedules.ts";

playSchedules(1, 2);
