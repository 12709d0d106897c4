function main()
  assert(rs485.init(115200, 8, 'N', 1) == 0)
  scheduler.add(2000, function()
    assert(rs485.send('\1\2\0\255', true) == 0)
    local head, code = rs485.receive(300, 2)
    assert(code == 0, 'no head')
    assert(rs485.send('.', false) == 0)
    local rest = rs485.receive(300)
    enapter.send_telemetry({ cells = head:byte(2), tail = rest })
  end)
end

main()
