export const tools = 1;
