-- Events as the tracker script sends them, for wrk: `wrk -s load.lua ADDRESS -- KIND RUN [EVENTS A SECOND]`.
-- KIND is `id` (an id with each event), `random` (an id without a time), `plain` (without) or `batch` (the route for
-- servers, with the key in KEY).
-- RUN distinguishes runs on the same database: each has new visitors and pages of its own.
-- WEBSITES in the environment spreads visitors over that many websites, bench1.example and so on.

local KNOWN_VISITORS = 60000
local KNOWN_PAGES = 2000
local KNOWN_PAGES_OF_MANY = 50
local EVENTS_PER_BATCH = 100
local TEXT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.%d.0 Safari/537.36"

local random = math.random
local format = string.format
local websites = tonumber(os.getenv("WEBSITES"))
local kind, run, rate
local head
local agents = {}
local known = {}
local new_visitors, new_pages = 0, 0
local clock, started, sent

local function address_of(visitor)
  return format("%d.%d.%d.%d", 20 + visitor % 150, visitor / 150 % 250, visitor / 37500 % 250, 1 + visitor / 9375000 % 250)
end

local function agent_of(visitor)
  return agents[visitor % #agents + 1]
end

local function headers_of(visitor)
  return "User-Agent: " .. agent_of(visitor) .. "\r\nX-Forwarded-For: " .. address_of(visitor) .. "\r\n"
end

-- A tenth of the events have a new visitor.
local function next_visitor()
  if random() >= 0.1 then return random(0, KNOWN_VISITORS - 1) end
  new_visitors = new_visitors + 1
  return KNOWN_VISITORS + run * 3000000 + new_visitors
end

-- One event in a hundred has a new page.
local function next_page()
  if random() >= 0.01 then return format("page/%d?a=1", random(1, websites and KNOWN_PAGES_OF_MANY or KNOWN_PAGES)) end
  new_pages = new_pages + 1
  return format("new/%d/%d?a=1", run, new_pages)
end

-- As the tracker makes it: of the 12 digits for the time, the last three are random.
local function uuid()
  local time = kind == "random" and random(0, 0xfffffffff) or math.floor(clock() / 0x1000)
  return format("%08x-%x%03x-7%03x-a%03x-%06x%06x", math.floor(time / 16), time % 16, random(0, 0xfff),
    random(0, 0xfff), random(0, 0xfff), random(0, 0xffffff), random(0, 0xffffff))
end

local function domain_of(visitor)
  return websites and format("bench%d.example", visitor % websites + 1) or "bench.example"
end

local function fields_of_event(visitor)
  return '"url":"https://' .. domain_of(visitor) .. "/" .. next_page() ..
    '","referrer":"https://www.google.com/","language":"de-DE","screen":"1920x1080"'
end

local function post(headers, body)
  return head .. headers .. "Content-Length: " .. #body .. "\r\n\r\n" .. body
end

local function event()
  local visitor = next_visitor()
  local id = kind ~= "plain" and ',"id":"' .. uuid() .. '"' or ""
  return post(known[visitor] or headers_of(visitor), "{" .. fields_of_event(visitor) .. id .. "}")
end

local function batch()
  local events = {}
  for index = 1, EVENTS_PER_BATCH do
    local visitor = next_visitor()
    events[index] = "{" .. fields_of_event(visitor) .. ',"id":"' .. uuid() .. '","ip":"' .. address_of(visitor) ..
      '","user_agent":"' .. agent_of(visitor) .. '"}'
  end
  return post("", '{"events":[' .. table.concat(events, ",") .. "]}")
end

local function prepare_clock()
  local ffi = require("ffi")
  ffi.cdef("struct moment { long seconds, microseconds; }; int gettimeofday(struct moment *, void *);")
  local moment = ffi.new("struct moment")
  clock = function()
    ffi.C.gettimeofday(moment, nil)
    return tonumber(moment.seconds) * 1000 + tonumber(moment.microseconds) / 1000
  end
end

local function prepare_rate()
  started, sent = clock(), 0
  -- Milliseconds until the next event is due.
  delay = function()
    sent = sent + 1
    return math.max(0, math.floor(started + sent * 1000 / rate - clock()))
  end
end

function init(args)
  kind, run, rate = args[1], tonumber(args[2]), tonumber(args[3])
  math.randomseed(os.time() + run)
  for index = 0, 199 do agents[index + 1] = format(TEXT, 90 + index % 40, index) end
  local host = "Host: " .. wrk.host .. ":" .. wrk.port .. "\r\n"
  if kind == "batch" then
    head = "POST /api/v1/websites/1/events HTTP/1.1\r\n" .. host .. "Content-Type: application/json\r\n" ..
      "Authorization: Bearer " .. os.getenv("KEY") .. "\r\n"
  else
    head = "POST /api/v1/events HTTP/1.1\r\n" .. host .. "Content-Type: text/plain;charset=UTF-8\r\n" ..
      "Accept: */*\r\nAccept-Encoding: gzip, deflate, br\r\nAccept-Language: de-DE,de;q=0.9,en;q=0.8\r\n"
    if not websites then head = head .. "Origin: https://bench.example\r\nReferer: https://bench.example/\r\n" end
    for visitor = 0, KNOWN_VISITORS - 1 do known[visitor] = headers_of(visitor) end
  end
  prepare_clock()
  if rate then prepare_rate() end
end

function request()
  if kind == "batch" then return batch() end
  return event()
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(format('\n{"accepted":%d,"failed":%d,"rate":%.1f,"p50":%.2f,"p99":%.2f}\n', summary.requests - errors.status,
    failed, (summary.requests - errors.status) / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000))
end
