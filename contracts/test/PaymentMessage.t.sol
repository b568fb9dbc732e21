// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MiniTest} from "./support/MiniTest.sol";
import {MessageParser} from "./support/MessageParser.sol";

/// @dev Examples. test/contracts/payment-message.test.ts compares the parser with the one in TypeScript on 100,000 texts.
contract PaymentMessageTest is MiniTest {
    MessageParser private immutable parser = new MessageParser();
    bytes private constant TIME = " at 2026-11-20T17:03Z";

    function accepts(bytes memory amount, uint256 minorUnits) private view {
        (bool wellFormed, bytes3 currency, uint256 parsed, int256 time) = parser.parse(bytes.concat("Send EUR ", amount, " to DE68", TIME));
        vm.assertTrue(wellFormed, string(amount));
        vm.assertEq(bytes32(currency), bytes32("EUR"));
        vm.assertEq(parsed, minorUnits, string(amount));
        vm.assertEq(uint256(time), 1_795_194_180);
    }

    function acceptsTime(string memory text, int256 expected) private view {
        (bool wellFormed,,, int256 time) = parser.parse(bytes(string.concat("Send EUR 10 to DE68 at ", text)));
        vm.assertTrue(wellFormed, text);
        vm.assertEq(uint256(time), uint256(expected), text);
    }

    function refuses(bytes memory message) private view {
        (bool wellFormed,,,) = parser.parse(message);
        vm.assertFalse(wellFormed, string(message));
    }

    function test_acceptsAmountsWithAtMostTwoDecimals() public view {
        accepts("10", 10_00);
        accepts("10.0", 10_00);
        accepts("10.00", 10_00);
        accepts("10.5", 10_50);
        accepts("10.05", 10_05);
        accepts("0.01", 1);
        accepts("007", 7_00);
        accepts("0", 0);
        accepts("00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001.1", 1_10);
        accepts("999999999999999.99", 999_999_999_999_999_99);
    }

    function test_refusesEverythingElseAsAnAmount() public view {
        bytes[24] memory amounts = [
            bytes(""), ".", ".5", "5.", "5.123", "5.1234", "1.2.3", "1..2", "-1", "+1", "1e3", "1E3", "0x10", "1,5", "1'000", "1 000", " 1", "1 ",
            unicode"１", unicode"٣", unicode"1\u00a0", "NaN", "1/", "1:"
        ];
        for (uint256 i = 0; i < amounts.length; ++i) refuses(bytes.concat("Send EUR ", amounts[i], " to DE68", TIME));
        refuses(bytes.concat("Send EUR 1000000000000000 to DE68", TIME));
        refuses(bytes.concat("Send EUR 115792089237316195423570985008687907853269984665640564039457584007913129639936 to DE68", TIME));
    }

    function test_refusesAnotherFrame() public view {
        bytes[22] memory messages = [
            bytes(""), "Send", "Send ", "Send EUR", "Send EUR ", "Send EUR 10", "Send EUR 10 ", "Send EUR 10 to", "send EUR 10 to x", "SEND EUR 10 to x",
            " Send EUR 10 to x", "Send  EUR 10 to x", "Send EUR  10 to x", "Send EUR 10  to x", "Send EUR 10 To x", "Send EUR 10 from x", "Send eur 10 to x",
            "Send EURO 10 to x", "Send EU 10 to x", "Send 10 EUR to x", "Send EUR 10 to", "Send EUR 10 to "
        ];
        for (uint256 i = 0; i < messages.length; ++i) {
            refuses(messages[i]);
            refuses(bytes.concat(messages[i], TIME));
        }
        refuses(bytes.concat(unicode"Send €UR 10 to x", TIME));
        refuses(bytes.concat("Send\tEUR 10 to x", TIME));
        refuses(bytes.concat("Send @UR 10 to x", TIME));
        refuses(bytes.concat("Send [UR 10 to x", TIME));
        refuses("Send EUR 10 to x AT 2026-11-20T17:03Z");
        refuses("Send EUR 10 to x  2026-11-20T17:03Z");
        refuses("Send EUR 10 to x at 2026-11-20T17:03Z ");
    }

    function test_acceptsAnyDestination() public view {
        bytes[5] memory destinations = [bytes("x"), "a b", " ", unicode"ß at 2026", "at at at at at at at at at at at at at at at at at at at"];
        for (uint256 i = 0; i < destinations.length; ++i) {
            (bool wellFormed,,,) = parser.parse(bytes.concat("Send EUR 10 to ", destinations[i], TIME));
            vm.assertTrue(wellFormed, string(destinations[i]));
        }
    }

    function test_readsTimesWithMinutesSecondsOrFractionsInAnyZone() public view {
        acceptsTime("2026-11-20T17:03Z", 1_795_194_180);
        acceptsTime("2026-11-20T17:03:54Z", 1_795_194_234);
        acceptsTime("2026-11-20T17:03:54.9Z", 1_795_194_234);
        acceptsTime("2026-11-20T17:03:54.123456789+00:00", 1_795_194_234);
        acceptsTime("2026-11-20T17:03:54.1234567890123456789012345678901234567890123456789012345678901234567890Z", 1_795_194_234);
        acceptsTime("2026-11-20T18:03+01:00", 1_795_194_180);
        acceptsTime("2026-11-20T11:33:54-05:30", 1_795_194_234);
        acceptsTime("2024-02-29T00:00Z", 1_709_164_800);
        acceptsTime("2000-02-29T00:00Z", 951_782_400);
        acceptsTime("1970-01-01T00:00Z", 0);
        acceptsTime("1969-12-31T23:59:59Z", -1);
        acceptsTime("0000-01-01T00:00Z", -62_167_219_200);
        acceptsTime("9999-12-31T23:59:59-23:59", 253_402_387_139);
    }

    function test_refusesEverythingElseAsATime() public view {
        string[38] memory times = [
            "", "now", "2026-11-20", "2026-11-20T17Z", "2026-11-20T17:03", "2026-11-20 17:03Z", "2026-11-20t17:03Z", "2026-11-20T17:03z",
            "2026-11-20T17:03:Z", "2026-11-20T17:03:5Z", "2026-11-20T17:03:54.Z", "2026-11-20T17:03:54,1Z", "2026-11-20T17:03:54.1aZ",
            "2026-11-20T17:03.5Z", "2026-11-20T24:00Z", "2026-11-20T17:60Z", "2026-11-20T17:03:60Z", "2026-11-20T17:03+24:00",
            "2026-11-20T17:03+01:60", "2026-11-20T17:03+0100", "2026-11-20T17:03+01", "2026-11-20T17:03 01:00", "2026-11-20T17:03+1:000",
            "2026-00-20T17:03Z", "2026-13-20T17:03Z", "2026-11-00T17:03Z", "2026-11-31T17:03Z", "2026-02-29T17:03Z", "2100-02-29T17:03Z",
            "2024-02-30T17:03Z", "26-11-20T17:03Z", "+2026-11-20T17:03Z", "2026/11/20T17:03Z", "2026-11-20T17.03Z", "202a-11-20T17:03Z",
            "2026-11-20T17:0:Z", "2026-1/-20T17:03Z", unicode"2026-11-20T17:0３Z"
        ];
        for (uint256 i = 0; i < times.length; ++i) refuses(bytes(string.concat("Send EUR 10 to DE68 at ", times[i])));
    }

    function test_refusesAMessageCutOffAtAnyByte() public view {
        bytes memory whole = "Send EUR 1234.56 to DE68 at 2026-11-20T17:03:54.123Z";
        for (uint256 length = 0; length < whole.length; ++length) {
            bytes memory cut = new bytes(length);
            for (uint256 i = 0; i < length; ++i) cut[i] = whole[i];
            refuses(cut);
        }
    }

    function testFuzz_readsTheExactAmount(uint256 units, uint8 cents) public view {
        units = bound(units, 0, 1e15 - 1);
        cents = uint8(bound(cents, 0, 99));
        bytes memory two = bytes.concat(bytes1(48 + cents / 10), bytes1(48 + cents % 10));
        accepts(bytes.concat(bytes(vm.toString(units)), ".", two), units * 100 + cents);
    }

    function testFuzz_neverReverts(bytes memory message) public view {
        parser.parse(message);
        parser.parse(bytes.concat("Send EUR ", message));
        parser.parse(bytes.concat("Send EUR 10 to ", message, TIME));
    }
}
