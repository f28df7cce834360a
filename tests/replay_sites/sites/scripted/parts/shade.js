export const shade = (name) => `hsl(${(name.length * 40) % 360} 60% 50%)`;
