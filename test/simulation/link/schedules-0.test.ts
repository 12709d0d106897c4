import { playSchedules } from "./play-schedules.ts";

playSchedules(0, 2);
