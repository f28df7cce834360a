export const later = 4;
