simulation { mesh = { file = 'a.geo' }, order = 2, time = { steps = 1 },
materials = { [1] = { epsilon_r = 1 }, [2] = { epsilon_r = 4 } }, interfaces = { [7] = { kind = 'pec' } }, boundaries = { [5] = { kind = 'tem_port', waveform = waveform.gaussian { bandwidth = 8e7 }, mode = 2 }, [6] = { kind = 'tem_port', mode = 2 }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } } }
