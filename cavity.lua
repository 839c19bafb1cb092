simulation { mesh = { file = 'a.geo' }, order = 2, time = { steps = 1 },
materials = { [1] = { epsilon_r = 1 }, [2] = { epsilon_r = 4 } }, boundaries = { [5] = { kind = 'tem_port', waveform = waveform.gaussian { bandwidth = 8e7 } }, [3] = { kind = 'pmc' }, [4] = { kind = 'pmc' } } }
