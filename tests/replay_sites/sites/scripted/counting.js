function count(most) {
  var sum = 0;
  for (var each = 1; each <= most; each++) sum += each;
  return sum;
}
