/** When a bank works: its clock, and the days on which it does not carry payments out besides weekends. */
export interface BankCalendar {
  /** A time zone of the IANA, such as `Europe/Berlin`. */
  timeZone: string;
  /** Days on which payments of a currency, or of every currency without one, are not carried out. Those of TARGET are known. */
  holidays: readonly BankHoliday[];
}

/** A day on which a bank does not carry payments out. */
export interface BankHoliday {
  /** `YYYY-MM-DD`. */
  day: string;
  currency?: string;
}

/** A time on the bank's clock, to the second: `2026-11-26T09:30:00`. */
export function bankTime(at: Date, { timeZone }: Pick<BankCalendar, 'timeZone'>): string {
  if (clock?.timeZone !== timeZone)
    clock = { timeZone, format: new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }) };
  return clock.format.format(at).replace(' ', 'T');
}

/** The format of the last time zone: a file has many times, and to make one takes far longer than to use it. */
let clock: { timeZone: string; format: Intl.DateTimeFormat } | undefined;

/** The first day, `YYYY-MM-DD`, on which the bank can carry out a payment that it has at this time. */
export function businessDay(at: Date, currency: string, calendar: BankCalendar): string {
  let day = bankTime(at, calendar).slice(0, 10);
  while (!isBusinessDay(day, currency, calendar)) day = daysAfter(day, 1);
  return day;
}

function isBusinessDay(day: string, currency: string, { holidays }: BankCalendar): boolean {
  const weekday = new Date(day).getUTCDay();
  if (weekday === 0 || weekday === 6) return false;
  if (currency === 'eur' && isTargetHoliday(day)) return false;
  return holidays.every((holiday) => holiday.day !== day || (holiday.currency ?? currency) !== currency);
}

/** The closing days of TARGET, the settlement system of the euro (ECB, long-term calendar). */
function isTargetHoliday(day: string): boolean {
  const easter = easterSunday(Number(day.slice(0, 4)));
  return ['01-01', '05-01', '12-25', '12-26'].includes(day.slice(5)) || [daysAfter(easter, -2), daysAfter(easter, 1)].includes(day);
}

/** Easter Sunday in the Gregorian calendar, by the rule of Meeus, Jones and Butcher. */
function easterSunday(year: number): string {
  const [cycle, century, rest] = [year % 19, Math.floor(year / 100), year % 100];
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * cycle + century - Math.floor(century / 4) - correction + 15) % 30;
  const offset = (32 + 2 * (century % 4) + 2 * Math.floor(rest / 4) - epact - (rest % 4)) % 7;
  const late = Math.floor((cycle + 11 * epact + 22 * offset) / 451);
  const days = epact + offset - 7 * late + 114;
  return daysAfter(`${year}-${String(Math.floor(days / 31)).padStart(2, '0')}-01`, days % 31);
}

function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
