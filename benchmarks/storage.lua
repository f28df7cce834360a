-- What wrk asks a server for: wrk … URL -- METHOD PATHS BODIES [NAME: VALUE]…
--
-- PATHS has a path a line. With a GET they are asked for in turn, for as long as wrk runs. With a
-- PUT each is asked for once, with the next body of the bundle BODIES; wrk, which knows no end but
-- that of its time, is ended when all are answered. One line of JSON says how it went.

local ffi = require("ffi")
ffi.cdef("typedef struct { long s; long us; } moment; int gettimeofday(moment *, void *);")

local requests, at, answered, refused, began = {}, 0, 0, 0, nil
local said = '{"requests": %d, "bytes": %.0f, "microseconds": %d, "p50": %d, "p99": %d, "errors": %d}'

local function now()
   local moment = ffi.new("moment")
   ffi.C.gettimeofday(moment, nil)
   return tonumber(moment.s) * 1e6 + tonumber(moment.us)
end

local function count(status)
   answered = answered + 1
   refused = refused + (status < 300 and 0 or 1)
   if answered == #requests then
      print(string.format(said, answered, 0, now() - began, 0, 0, refused))
      io.stdout:flush()
      os.exit(0)
   end
end

function init(arguments)
   local method, headers = arguments[1], {}
   for number = 4, #arguments do
      local name, value = arguments[number]:match("^(.-): (.*)$")
      headers[name] = value
   end
   local bodies = method == "PUT" and io.open(arguments[3], "rb")
   for path in io.lines(arguments[2]) do
      local body = bodies and bodies:read(tonumber(bodies:read("*l"):match("(%d+)$")))
      requests[#requests + 1] = wrk.format(method, path, headers, body or nil)
   end
   if bodies then
      response = count
      at = -1 -- wrk looks at one request before it begins
   end
end

function request()
   began = began or (at >= 0 and now())
   at = at + 1
   return requests[(at - 1) % #requests + 1]
end

function done(summary, latency, _)
   local errors = summary.errors
   print(string.format(said, summary.requests, summary.bytes, summary.duration, latency:percentile(50),
      latency:percentile(99), errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
