import { z } from 'zod';
import { defineTool, ToolError } from './tool.ts';

/** The built-in `get_time`: date, time, weekday and UTC offset in a time zone. */
export const getTime = defineTool({
  name: 'get_time',
  description: 'Tells the current local date and time, the weekday and the UTC offset in an IANA time zone.',
  input: z.object({ zone: z.string().describe('IANA time zone, such as "Asia/Seoul" or "UTC"') }),
  effect: 'read',
  quick: true,
  run: ({ zone }) => localTime(zone, new Date()),
});

function localTime(zone: string, now: Date): Readonly<Record<string, string>> {
  const parts = new Map(
    formatterFor(zone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return {
    zone,
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}:${part('second')}`,
    weekday: part('weekday'),
    utcOffset: part('timeZoneName').replace('GMT', '') || '+00:00',
  };
}

function formatterFor(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
  } catch (error) {
    const hint = 'Use one such as "Asia/Seoul", "America/New_York" or "UTC".';
    throw new ToolError(`${JSON.stringify(zone.slice(0, 80))} is not an IANA time zone. ${hint}`, { cause: error });
  }
}
