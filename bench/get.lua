-- Requests paths in turn, for wrk: `wrk -s get.lua ADDRESS -- PATH...`, with the key in KEY.

local requests = {}
local turn = 0

function init(paths)
  local headers = { Authorization = "Bearer " .. os.getenv("KEY") }
  for index, path in ipairs(paths) do requests[index] = wrk.format("GET", path, headers) end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary)
  io.write(string.format('\n{"rate":%.1f}\n', (summary.requests - summary.errors.status) / summary.duration * 1e6))
end
