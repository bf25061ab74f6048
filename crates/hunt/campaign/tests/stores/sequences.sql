PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO setting VALUES('identity','7c456a1f1b111472');
INSERT INTO setting VALUES('seed','795030345');
CREATE TABLE target (
    label TEXT PRIMARY KEY, compiler TEXT NOT NULL, version TEXT NOT NULL, triple TEXT NOT NULL,
    command TEXT NOT NULL, runner TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO target VALUES('libLLVM-16 -passes=all','libLLVM-16','16.0.6','x86_64-unknown-linux-gnu','/usr/lib/x86_64-linux-gnu/libLLVM-16.so.1','');
CREATE TABLE test (
    engine TEXT NOT NULL, seed INTEGER NOT NULL, skipped TEXT,
    generate INTEGER NOT NULL, compile INTEGER NOT NULL, run INTEGER NOT NULL,
    validate INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (engine, seed)
) WITHOUT ROWID;
INSERT INTO test VALUES('passes',3180121380,NULL,0,1788484,0,0,1795030352);
INSERT INTO test VALUES('passes',3180121381,NULL,0,1850710,0,0,1795030358);
INSERT INTO test VALUES('passes',3180121382,NULL,0,2026907,0,0,1795030358);
INSERT INTO test VALUES('passes',3180121383,NULL,0,3364813,0,0,1795030381);
INSERT INTO test VALUES('passes',3180121384,NULL,0,974933,0,0,1795030363);
INSERT INTO test VALUES('passes',3180121385,NULL,0,1195516,0,0,1795030373);
INSERT INTO test VALUES('passes',3180121386,NULL,0,957992,0,0,1795030375);
INSERT INTO test VALUES('passes',3180121388,NULL,0,4184840,0,733176,1795030406);
CREATE TABLE tally (
    target TEXT NOT NULL, word TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (target, word)
) WITHOUT ROWID;
CREATE TABLE finding (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    engine TEXT NOT NULL, seed INTEGER NOT NULL, at INTEGER NOT NULL,
    kind TEXT NOT NULL, signature TEXT NOT NULL, summary TEXT NOT NULL, standing TEXT NOT NULL,
    origin TEXT NOT NULL,
    targets TEXT NOT NULL, right TEXT NOT NULL, commands TEXT NOT NULL, certificate TEXT NOT NULL,
    FOREIGN KEY (engine, seed) REFERENCES test
);
INSERT INTO finding VALUES(1,'passes',3180121381,1795030358,'miscompilation','miscompilation llvm separate-const-offset-from-gep','separate-const-offset-from-gep: the target is undefined and the source is not: a load through poison','confirmed','gainsay gen --engine yarp --seed 15900606917 --policy small -o DIR, one of 76 passes','["libLLVM-16 -passes=function(separate-const-offset-from-gep)"]','[]','["opt-16 ''-passes=function(separate-const-offset-from-gep)'' -S -o after.ll test.ll","gainsay llvm verify test.ll after.ll"]','{"opinions":[{"tool":"the verifier of LLVM 16","command":"opt-16 -passes=verify -disable-output test.ll","says":{"verdict":"no-alarm"}}]}');
INSERT INTO finding VALUES(4,'passes',3180121388,1795030406,'wrong-output','wrong-output llvm AttributorPass','line 2: "test_1 7ea3c741e117914d" in place of "test_1 ca623415a4464959" after AttributorPass','confirmed','gainsay gen --engine yarp --seed 15900606958 --policy small -o DIR, one of 166 passes','["libLLVM-16 -O0 -passes=function(simplifycfg<forward-switch-cond;switch-to-lookup;no-keep-loops;hoist-common-insts;sink-common-insts>),function(sroa<modify-cfg>),function(loop-mssa(licm<no-allowspeculation>)),function(lowerswitch,structurizecfg),function(speculative-execution),attributor"]','["libLLVM-16 -O0 -passes="]','["clang-16 -O0 -Xclang -disable-O0-optnone -emit-llvm -c -w func.c -o func.bc && clang-16 -O0 -Xclang -disable-O0-optnone -emit-llvm -c -w driver.c -o driver.bc && llvm-link-16 func.bc driver.bc -o whole.bc && opt-16 ''-passes=function(simplifycfg<forward-switch-cond;switch-to-lookup;no-keep-loops;hoist-common-insts;sink-common-insts>),function(sroa<modify-cfg>),function(loop-mssa(licm<no-allowspeculation>)),function(lowerswitch,structurizecfg),function(speculative-execution),attributor'' whole.bc -o optimised.bc && llc-16 -O2 -relocation-model=pic -filetype=obj optimised.bc -o optimised.o && cc optimised.o -o program -lm && ./program | diff expected -"]','{"opinions":[{"tool":"gainsay 0.1.0: executed in 502 steps","command":"gainsay run func.c driver.c","says":{"verdict":"valid"}},{"tool":"gcc 12.2.0 -fsanitize=undefined,address","command":"gcc-12 -O0 -g1 -fno-sanitize-recover=all -fsanitize=undefined,address -fsanitize=float-cast-overflow -fsanitize=pointer-compare,pointer-subtract,bounds-strict -w -std=gnu11 func.c driver.c -o program -lm && ASAN_OPTIONS=detect_leaks=0:detect_invalid_pointer_pairs=2:detect_stack_use_after_return=1 ./program","says":{"verdict":"valid"}},{"tool":"clang 16.0.6 -fsanitize=undefined,address","command":"clang-16 -O0 -g1 -fno-sanitize-recover=all -fsanitize=undefined,address -fsanitize=float-cast-overflow -w -std=gnu11 func.c driver.c -o program -lm && ASAN_OPTIONS=detect_leaks=0:detect_invalid_pointer_pairs=2:detect_stack_use_after_return=1 ./program","says":{"verdict":"valid"}},{"tool":"clang 16.0.6 -fsanitize=memory","command":"clang-16 -O0 -g1 -fno-sanitize-recover=all -fsanitize=memory -fsanitize-memory-track-origins -w -std=gnu11 func.c driver.c -o program -lm && ./program","says":{"verdict":"valid"}},{"tool":"Frama-C Eva 25.0-beta","command":"frama-c -eva -eva-slevel 10000 -machdep gcc_x86_64 -eva-msg-key=-initial-state,-final-states func.c driver.c","says":{"verdict":"alarm","detail":"[eva:alarm] func.c:170: Warning: signed overflow. assert -2147483648 ≤ v95 - 1822050166;"}}]}');
CREATE TABLE file (
    finding INTEGER NOT NULL REFERENCES finding, role TEXT NOT NULL, name TEXT NOT NULL,
    bytes BLOB NOT NULL
);
INSERT INTO file VALUES(1,'source','test.ll',X'74617267657420747269706c65203d20227838365f36342d70632d6c696e75782d676e75220a0a4067203d20676c6f62616c205b31302078206931365d207a65726f696e697469616c697a65720a0a646566696e65206936342040662829207b0a20202561203d20737562206e73772069333220312c20310a20202562203d20736578742069333220256120746f206936340a20202563203d20676574656c656d656e7470747220696e626f756e6473205b31302078206931365d2c207074722040672c2069363420302c206936342025620a20202564203d206c6f6164206931362c207074722025632c20616c69676e20320a20207265742069363420300a7d0a');
INSERT INTO file VALUES(1,'reduced','test.ll',X'74617267657420747269706c65203d20227838365f36342d70632d6c696e75782d676e75220a0a4067203d20676c6f62616c205b31302078206931365d207a65726f696e697469616c697a65720a0a646566696e65206936342040662829207b0a20202561203d20737562206e73772069333220312c20310a20202562203d20736578742069333220256120746f206936340a20202563203d20676574656c656d656e7470747220696e626f756e6473205b31302078206931365d2c207074722040672c2069363420302c206936342025620a20202564203d206c6f6164206931362c207074722025632c20616c69676e20320a20207265742069363420300a7d0a');
INSERT INTO file VALUES(1,'reduced','after.ll',X'3b204d6f64756c654944203d20276d6f64756c65270a736f757263655f66696c656e616d65203d20226d6f64756c65220a74617267657420747269706c65203d20227838365f36342d70632d6c696e75782d676e75220a0a4067203d20676c6f62616c205b31302078206931365d207a65726f696e697469616c697a65720a0a646566696e65206936342040662829207b0a2020256131203d207375622069363420302c20310a20202531203d20676574656c656d656e74707472205b31302078206931365d2c207074722040672c2069363420302c20693634202561310a2020256332203d20676574656c656d656e7470747220696e626f756e6473206931362c207074722025312c2069363420310a20202564203d206c6f6164206931362c20707472202563322c20616c69676e20320a20207265742069363420300a7d0a');
INSERT INTO file VALUES(1,'reduced','counterexample.txt',X'40660a696e7075743a200a736f757263653a0a20202561203d20737562206e73772069333220312c2031202020203b20300a20202562203d20736578742069333220256120746f20693634202020203b20300a20202563203d20676574656c656d656e7470747220696e626f756e6473205b31302078206931365d2c207074722040672c2069363420302c20693634202562202020203b2040670a20202564203d206c6f6164206931362c207074722025632c20616c69676e2032202020203b20300a2020726574206936342030202020203b20300a202072657475726e730a7461726765743a0a2020256131203d207375622069363420302c2031202020203b202d310a20202531203d20676574656c656d656e74707472205b31302078206931365d2c207074722040672c2069363420302c2069363420256131202020203b204067202b202d320a2020256332203d20676574656c656d656e7470747220696e626f756e6473206931362c207074722025312c206936342031202020203b20706f69736f6e0a20202564203d206c6f6164206931362c20707472202563322c20616c69676e2032202020203b20756e646566696e65643a2061206c6f6164207468726f75676820706f69736f6e0a2020756e646566696e65643a2061206c6f6164207468726f75676820706f69736f6e0a7468652074617267657420697320756e646566696e656420616e642074686520736f75726365206973206e6f743a2061206c6f6164207468726f75676820706f69736f6e');
INSERT INTO file VALUES(4,'source','init.h',X'696e74206d61696e28766f6964293b');
INSERT INTO file VALUES(4,'source','func.c',X'696e74206d61696e28766f6964293b');
INSERT INTO file VALUES(4,'source','driver.c',X'696e74206d61696e28766f6964293b');
INSERT INTO file VALUES(4,'artifact','expected',X'746573745f3020333462393632333264386138653536360a746573745f3120636136323334313561343436343935390a746573745f3220633939323832343634366336656365620a746573745f3320653034336434626139376334333565610a');
INSERT INTO file VALUES(4,'artifact','status',X'30');
INSERT INTO file VALUES(4,'artifact','stdout',X'746573745f3020333462393632333264386138653536360a746573745f3120376561336337343165313137393134640a746573745f3220633939323832343634366336656365620a746573745f3320653034336434626139376334333565610a');
CREATE TABLE study (
    finding INTEGER PRIMARY KEY REFERENCES finding, at INTEGER NOT NULL,
    standard TEXT, stdout BLOB, status INTEGER, summary TEXT NOT NULL,
    compiler TEXT NOT NULL, flags TEXT NOT NULL, targets TEXT NOT NULL, right TEXT NOT NULL,
    commands TEXT NOT NULL, certificate TEXT NOT NULL, blame TEXT NOT NULL, ladder TEXT NOT NULL,
    key TEXT NOT NULL, tokens_before INTEGER NOT NULL, tokens_after INTEGER NOT NULL,
    nanoseconds INTEGER NOT NULL
);
INSERT INTO study VALUES(1,1795030369,NULL,NULL,NULL,'separate-const-offset-from-gep: the target is undefined and the source is not: a load through poison','libLLVM-16','["-passes=separate-const-offset-from-gep"]','["libLLVM-16 -passes=separate-const-offset-from-gep"]','[]','["opt-16 ''-passes=separate-const-offset-from-gep'' -S -o after.ll test.ll","gainsay llvm verify test.ll after.ll"]','{"opinions":[{"tool":"the verifier of LLVM 16","command":"opt-16 -passes=verify -disable-output test.ll","says":{"verdict":"no-alarm"}}]}','{"pass":"separate-const-offset-from-gep","culprits":[{"method":"last-pass","name":"separate-const-offset-from-gep","hides":[],"detail":"-passes=separate-const-offset-from-gep"}],"limits":[]}','{"levels":["-passes=separate-const-offset-from-gep"],"rungs":[{"compiler":"libLLVM-14","version":"14","cells":["fails"]},{"compiler":"libLLVM-15","version":"15","cells":["fails"]},{"compiler":"libLLVM-16","version":"16.0.6","cells":["fails"]},{"compiler":"libLLVM-19","version":"19.1.7","cells":["fails"]},{"compiler":"libLLVM-22","version":"22.1.2","cells":["works"]}]}','miscompilation llvm separate-const-offset-from-gep',42514,54,5449776650);
CREATE TABLE suppression (
    pattern TEXT PRIMARY KEY, reason TEXT NOT NULL, since INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE state (
    finding INTEGER PRIMARY KEY REFERENCES finding, state TEXT NOT NULL, note TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE TABLE count (what TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO count VALUES('tests in batches',72);
CREATE TABLE sample (
    at INTEGER PRIMARY KEY, last INTEGER NOT NULL, hunted INTEGER NOT NULL, tests INTEGER NOT NULL,
    findings INTEGER NOT NULL, signatures INTEGER NOT NULL, own INTEGER NOT NULL,
    others INTEGER NOT NULL, blocks INTEGER
);
INSERT INTO sample VALUES(1795030345,0,0,0,0,0,51248,0,NULL);
INSERT INTO sample VALUES(1795030350,0,5017929,0,0,0,1001665,993763,NULL);
INSERT INTO sample VALUES(1795030355,0,10048111,10,0,0,1915178,2782247,NULL);
INSERT INTO sample VALUES(1795030360,0,15119987,30,1,1,3233634,7582076,NULL);
INSERT INTO sample VALUES(1795030365,0,20164020,40,1,1,4892340,8703270,NULL);
INSERT INTO sample VALUES(1795030371,0,25307947,40,1,1,7183492,8703270,NULL);
INSERT INTO sample VALUES(1795030376,0,30395415,60,1,1,9165853,10856778,NULL);
INSERT INTO sample VALUES(1795030381,0,35422518,60,1,1,10903682,10856778,NULL);
INSERT INTO sample VALUES(1795030386,0,40471914,70,3,2,11947754,15292963,NULL);
INSERT INTO sample VALUES(1795030391,0,45535933,70,3,2,11951919,15292963,NULL);
INSERT INTO sample VALUES(1795030396,0,50535932,70,3,2,11956095,15292963,NULL);
INSERT INTO sample VALUES(1795030401,0,55541549,70,3,2,12145254,16371537,NULL);
INSERT INTO sample VALUES(1795030406,0,60593451,80,5,4,13482249,20556377,NULL);
INSERT INTO sample VALUES(1795030411,0,65616071,80,5,4,13484268,20556377,NULL);
INSERT INTO sample VALUES(1795030416,1,70716009,80,5,4,13485961,20556377,NULL);
CREATE TABLE spent (
    engine TEXT PRIMARY KEY, seeds INTEGER NOT NULL, generate INTEGER NOT NULL,
    compile INTEGER NOT NULL, run INTEGER NOT NULL, validate INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO spent VALUES('passes',8,0,16344195,0,733176,1795030352,1795030406);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('finding',5);
CREATE INDEX finding_signature ON finding (signature);
CREATE INDEX file_finding ON file (finding);
COMMIT;
