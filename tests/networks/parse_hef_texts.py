"""Made-up texts as hailortcli parse-hef prints them; numbers recomputed, names invented."""

from __future__ import annotations

BOLTS = """\
Architecture HEF was compiled for: HAILO8L
Network group name: bolts_net, Multi Context - Number of contexts: 3
    Network name: bolts_net/bolts_net
        VStream infos:
            Input  bolts_net/input_layer1 UINT8, NHWC(640x640x3)
            Output bolts_net/yolov8_nms_postprocess FLOAT32, HAILO NMS BY CLASS(number of classes: 3, \
maximum bounding boxes per class: 100, maximum frame size: 6012)
            Operation:
                Op YOLOV8
                Name: YOLOV8-Post-Process
                Score threshold: 0.050
                IoU threshold: 0.70
                Classes: 3
                Max bboxes per class: 100
                Image height: 640
                Image width: 640
"""

SNAIL = """\
            Input  snail_net/input_layer1 UINT8, NHWC(640x640x3)
            Output snail_net/conv41 UINT8, FCR(80x80x64)
            Output snail_net/conv42 UINT8, FCR(80x80x5)
            Output snail_net/conv52 UINT8, FCR(40x40x64)
            Output snail_net/conv53 UINT8, FCR(40x40x5)
            Output snail_net/conv62 UINT8, NHWC(20x20x64)
            Output snail_net/conv63 UINT8, FCR(20x20x5)
"""

DEMO = """\
HEF Compatible for: HAILO8L, HAILO8
HEF Compiler Version: 5.2.0
Network group name: demo_net, Multi Context - Number of contexts: 3
    Network name: demo_net/demo_net
        Stream infos:
            Input  demo_net/input_layer1 UINT8, NHWC(320x320x3)
            Output demo_net/conv41 UINT8, NHCW(40x40x64)
            Output demo_net/conv42 UINT8, NHCW(40x40x7)
            Output demo_net/aux1 UINT16, FCR(10x12x30)
        VStream infos:
            Input  demo_net/input_layer1 UINT8, NHWC(320x320x3)
            Output demo_net/yolov8_nms_postprocess FLOAT32, HAILO NMS BY CLASS(number of classes: 7, \
maximum bounding boxes per class: 50, maximum frame size: 7028)
            Output demo_net/aux1 UINT16, FCR(10x10x30)
            Operation:
                Op YOLOV8
                Name: YOLOV8-Post-Process
                Score threshold: 0.200
                IoU threshold: 0.70
                Classes: 7
                Max bboxes per class: 50
                Image height: 320
                Image width: 320
"""

TWO = """\
Architecture HEF was compiled for: HAILO8
Network group name: pair, Single Context
    Network name: pair/left
        VStream infos:
            Input  left/input_layer1 UINT8, NHWC(320x320x3)
            Output left/conv41 UINT8, FCR(40x40x64)
    Network name: pair/right
        VStream infos:
            Input  right/input_layer1 UINT8, NHWC(320x320x3)
            Output right/conv41 UINT8, FCR(40x40x64)
"""
