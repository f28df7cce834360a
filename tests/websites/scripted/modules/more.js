export const more = 2;
