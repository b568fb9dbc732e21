// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PaymentMessage} from "../src/PaymentMessage.sol";
import {MiniTest} from "./support/MiniTest.sol";

contract Parser {
    function parse(bytes calldata message) external pure returns (bool, bytes3, uint256) {
        return PaymentMessage.parse(message);
    }
}

/// @dev A second implementation of the library's rules: splits the text at its spaces, then checks each word.
library Reference {
    /// The largest number of whole units that fits with any cents, in decimal.
    bytes internal constant MAX_UNITS = "115792089237316195423570985008687907853269984665640564039456";

    function parse(bytes memory message) internal pure returns (bool, bytes3, uint256) {
        bytes[5] memory words;
        uint256 count;
        for (uint256 i = 0; i < message.length && count < 4; ++i) {
            if (message[i] == " ") count++;
            else words[count] = bytes.concat(words[count], message[i]);
        }
        if (count < 4 || !same(words[0], "Send") || !same(words[3], "to") || words[1].length != 3) return (false, 0, 0);
        for (uint256 i = 0; i < 3; ++i) {
            if (uint8(words[1][i]) < 65 || uint8(words[1][i]) > 90) return (false, 0, 0);
        }
        (bool ok, uint256 amount) = decimal(words[2]);
        return ok ? (true, bytes3(words[1]), amount) : (false, bytes3(0), 0);
    }

    function decimal(bytes memory word) private pure returns (bool, uint256) {
        bytes memory units;
        bytes memory cents;
        uint256 points;
        for (uint256 i = 0; i < word.length; ++i) {
            if (word[i] == ".") points++;
            else if (uint8(word[i]) < 48 || uint8(word[i]) > 57) return (false, 0);
            else if (points == 0) units = (units.length == 0 && word[i] == "0") ? units : bytes.concat(units, word[i]);
            else cents = bytes.concat(cents, word[i]);
        }
        if (word.length == 0 || word[0] == "." || points > 1 || cents.length > 2 || (points == 1 && cents.length == 0)) return (false, 0);
        if (units.length > MAX_UNITS.length || (units.length == MAX_UNITS.length && greater(units, MAX_UNITS))) return (false, 0);
        while (cents.length < 18) cents = bytes.concat(cents, "0");
        uint256 amount;
        bytes memory digits = bytes.concat(units, cents);
        for (uint256 i = 0; i < digits.length; ++i) amount = amount * 10 + uint8(digits[i]) - 48;
        return (true, amount);
    }

    function greater(bytes memory a, bytes memory b) private pure returns (bool) {
        for (uint256 i = 0; i < a.length; ++i) {
            if (a[i] != b[i]) return a[i] > b[i];
        }
        return false;
    }

    function same(bytes memory a, bytes memory b) private pure returns (bool) {
        return keccak256(a) == keccak256(b);
    }
}

contract PaymentMessageTest is MiniTest {
    Parser private immutable parser = new Parser();

    function check(bytes memory message) private view returns (bool wellFormed) {
        bytes3 currency;
        uint256 amount;
        (wellFormed, currency, amount) = parser.parse(message);
        (bool expected, bytes3 expectedCurrency, uint256 expectedAmount) = Reference.parse(message);
        vm.assertEq(wellFormed, expected, string(message));
        vm.assertEq(amount, expectedAmount, string(message));
        vm.assertEq(bytes32(currency), bytes32(expectedCurrency));
    }

    function accepts(bytes memory amount, uint256 value) private view {
        (bool wellFormed, bytes3 currency, uint256 parsed) = parser.parse(bytes.concat("Send EUR ", amount, " to DE68 at 2026-11-20T17:03Z"));
        vm.assertTrue(wellFormed, string(amount));
        vm.assertEq(bytes32(currency), bytes32("EUR"));
        vm.assertEq(parsed, value, string(amount));
    }

    function refuses(bytes memory message) private view {
        (bool wellFormed, bytes3 currency, uint256 amount) = parser.parse(message);
        vm.assertFalse(wellFormed, string(message));
        vm.assertEq(bytes32(currency), 0);
        vm.assertEq(amount, 0);
    }

    function refusesAmount(bytes memory amount) private view {
        refuses(bytes.concat("Send EUR ", amount, " to DE68"));
    }

    function test_acceptsAmountsWithAtMostTwoDecimals() public view {
        accepts("10", 10e18);
        accepts("10.0", 10e18);
        accepts("10.00", 10e18);
        accepts("10.5", 10.5e18);
        accepts("10.05", 10.05e18);
        accepts("0.01", 0.01e18);
        accepts("007", 7e18);
        accepts("0", 0);
        accepts("00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001.1", 1.1e18);
        accepts(bytes.concat(Reference.MAX_UNITS, ".99"), (type(uint256).max / 1e18 - 1) * 1e18 + 0.99e18);
    }

    function test_refusesEverythingElseAsAnAmount() public view {
        bytes[24] memory amounts = [
            bytes(""), ".", ".5", "5.", "5.123", "5.1234", "1.2.3", "1..2", "-1", "+1", "1e3", "1E3", "0x10", "1,5", "1'000", "1 000", " 1", "1 ",
            unicode"１", unicode"٣", unicode"1\u00a0", "NaN", "1/", "1:"
        ];
        for (uint256 i = 0; i < amounts.length; ++i) refusesAmount(amounts[i]);
        refusesAmount("115792089237316195423570985008687907853269984665640564039457");
        refusesAmount("1157920892373161954235709850086879078532699846656405640394560");
        refusesAmount("999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999");
    }

    function test_refusesAnotherFrame() public view {
        bytes[20] memory messages = [
            bytes(""), "Send", "Send ", "Send EUR", "Send EUR ", "Send EUR 10", "Send EUR 10 ", "Send EUR 10 to", "send EUR 10 to x", "SEND EUR 10 to x",
            " Send EUR 10 to x", "Send  EUR 10 to x", "Send EUR  10 to x", "Send EUR 10  to x", "Send EUR 10 To x", "Send EUR 10 from x", "Send eur 10 to x",
            "Send EURO 10 to x", "Send EU 10 to x", "Send 10 EUR to x"
        ];
        for (uint256 i = 0; i < messages.length; ++i) refuses(messages[i]);
        refuses(unicode"Send €UR 10 to x");
        refuses("Send\tEUR 10 to x");
        refuses("Send @UR 10 to x");
        refuses("Send [UR 10 to x");
    }

    function test_agreesWhenCutOffAtEveryByte() public view {
        bytes memory whole = "Send EUR 1234.56 to DE68";
        for (uint256 length = 0; length <= whole.length; ++length) {
            bytes memory cut = new bytes(length);
            for (uint256 i = 0; i < length; ++i) cut[i] = whole[i];
            vm.assertEq(check(cut), length >= 20);
        }
    }

    function testFuzz_agreesOnAnyBytes(bytes memory message) public view {
        check(message);
        check(bytes.concat("Send EUR ", message));
        check(bytes.concat("Send EUR ", message, " to "));
        check(bytes.concat("Send EUR 1.", message));
    }

    function testFuzz_agreesAfterAnyChangeOfOneByte(uint256 position, bytes1 with, uint8 kind) public view {
        bytes memory whole = "Send EUR 1234.56 to DE68 at 2026-11-20T17:03Z";
        uint256 place = bound(position, 0, 24);
        bytes memory head = new bytes(place);
        for (uint256 i = 0; i < place; ++i) head[i] = whole[i];
        uint256 skip = kind % 3 == 0 ? 0 : 1;
        bytes memory tail = new bytes(whole.length - place - skip);
        for (uint256 i = 0; i < tail.length; ++i) tail[i] = whole[place + skip + i];
        check(kind % 3 == 2 ? bytes.concat(head, tail) : bytes.concat(head, with, tail));
    }

    function testFuzz_agreesOnTextMadeOfLikelyPieces(uint256 seed, uint256 number) public view {
        bytes[8] memory starts = [bytes("Send "), "Send ", "Send ", "Send ", "send ", "Send", " Send ", "Send  "];
        bytes[8] memory currencies = [bytes("EUR"), "USD", "GBP", "ISK", "eur", "EURO", "E1R", ""];
        bytes[12] memory endings = [bytes(""), "", "", ".1", ".12", ".123", ".", ".0", ".00", "e2", ".1.1", "-"];
        bytes[8] memory links = [bytes(" to "), " to ", " to ", " to x", "  to ", " to", " at ", "to "];
        bytes memory amount = bytes(vm.toString(seed % 2 == 0 ? number : number % 1e9));
        check(
            bytes.concat(
                starts[(seed >> 8) % 8], currencies[(seed >> 16) % 8], " ", (seed >> 24) % 3 == 0 ? bytes("00") : bytes(""),
                (seed >> 32) % 16 == 0 ? bytes("") : amount, endings[(seed >> 40) % 12], links[(seed >> 48) % 8]
            )
        );
    }

    function testFuzz_readsTheExactAmount(uint256 units, uint8 cents) public view {
        units = bound(units, 0, type(uint256).max / 1e18 - 1);
        cents = uint8(bound(cents, 0, 99));
        bytes memory two = bytes.concat(bytes1(48 + cents / 10), bytes1(48 + cents % 10));
        accepts(bytes.concat(bytes(vm.toString(units)), ".", two), units * 1e18 + uint256(cents) * 1e16);
    }
}
