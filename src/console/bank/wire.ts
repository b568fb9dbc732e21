/** Rows of a page of the bank's lists at most. */
export const mostListed = 200;
