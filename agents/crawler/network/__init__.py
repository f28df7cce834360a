"""Speaking to web servers, one request at a time and politely (*INA §1.4.4*)."""
