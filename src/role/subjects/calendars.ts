import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { calendarOperations } from "#service/calendar/calendar-operations.ts";

export const calendars = (parts: Parts): Subject => ({ operations: calendarOperations(parts) });
