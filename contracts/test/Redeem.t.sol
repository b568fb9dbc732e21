// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {RedeemItem, RedemptionRefusal} from "../src/IEMoneyToken.sol";
import {TokenTest} from "./support/TokenTest.sol";
import {ApprovingWallet} from "./support/Wallets.sol";

contract RedeemTest is TokenTest {
    string private constant TEN = "Send EUR 10 to DE68500105178297336485 at 2026-11-20T17:03Z";
    uint256 private constant CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    function setUp() public override {
        super.setUp();
        give(alice, 100e18);
        give(bob, 100e18);
    }

    function refuses(RedeemItem memory item, RedemptionRefusal reason) private {
        uint256 balance = token.balanceOf(item.account);
        uint256 supply = token.totalSupply();
        expectRefusedRedemption(item, reason);
        redeem(item);
        vm.assertEq(token.balanceOf(item.account), balance);
        vm.assertEq(token.totalSupply(), supply);
        vm.assertTrue(token.messageUsed(item.account, hashOf(item.message)));
    }

    function test_burnsWhatTheHolderSigned() public {
        RedeemItem memory item = signedItem(ALICE_KEY, 10e18, TEN);
        vm.expectEmit(true, true, true, true, address(token));
        emit IERC20.Transfer(alice, address(0), 10e18);
        expectRedeemed(item);
        redeem(item);
        vm.assertEq(token.balanceOf(alice), 90e18);
        vm.assertEq(token.totalSupply(), 190e18);
        vm.assertTrue(token.messageUsed(alice, hashOf(TEN)));
        vm.assertFalse(token.messageUsed(bob, hashOf(TEN)));
    }

    function test_takesAnAmountInEachOfItsSpellings() public {
        redeem(signedItem(ALICE_KEY, 10e18, "Send EUR 10.0 to x"));
        redeem(signedItem(ALICE_KEY, 10e18, "Send EUR 10.00 to x"));
        redeem(signedItem(ALICE_KEY, 0.5e18, "Send EUR 0.5 to x"));
        vm.assertEq(token.balanceOf(alice), 79.5e18);
    }

    function test_decidesAMessageOfAHolderOnce() public {
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        RedeemItem memory again = signedItem(ALICE_KEY, 10e18, TEN);
        again.orderId = orderId(1);
        vm.recordLogs();
        redeem(again);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(token.balanceOf(alice), 90e18);

        redeem(signedItem(BOB_KEY, 10e18, TEN));
        vm.assertEq(token.balanceOf(bob), 90e18);
    }

    function test_aSecondFormOfTheSignatureBurnsNothingMore() public {
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        redeem(redeemItem(alice, 10e18, TEN, highForm(TEN)));
        vm.assertEq(token.balanceOf(alice), 90e18);
    }

    function test_takesEitherFormOfASignature() public {
        redeem(redeemItem(alice, 10e18, TEN, highForm(TEN)));
        bytes memory signature = signMessage(ALICE_KEY, "Send EUR 5 to x");
        signature[64] = bytes1(uint8(signature[64]) - 27);
        redeem(redeemItem(alice, 5e18, "Send EUR 5 to x", signature));
        vm.assertEq(token.balanceOf(alice), 85e18);
    }

    function highForm(string memory message) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ALICE_KEY, hashOf(message));
        return abi.encodePacked(r, CURVE_ORDER - uint256(s), v == 27 ? 28 : 27);
    }

    function test_refusesAMalformedMessage() public {
        refuses(signedItem(ALICE_KEY, 10e18, "I hereby declare that I am the address owner."), RedemptionRefusal.MalformedMessage);
    }

    function test_refusesAnotherCurrency() public {
        refuses(signedItem(ALICE_KEY, 10e18, "Send USD 10 to x"), RedemptionRefusal.WrongCurrency);
    }

    function test_refusesAnotherAmount() public {
        refuses(signedItem(ALICE_KEY, 10e18 + 1, "Send EUR 10 to x"), RedemptionRefusal.WrongAmount);
        refuses(signedItem(ALICE_KEY, 10e18 - 1, "Send EUR 10 to y"), RedemptionRefusal.WrongAmount);
        refuses(signedItem(ALICE_KEY, 0, "Send EUR 0.00 to x"), RedemptionRefusal.WrongAmount);
    }

    function test_refusesABlockedHolder() public {
        vm.prank(admin);
        token.blockAccount(alice);
        refuses(signedItem(ALICE_KEY, 10e18, TEN), RedemptionRefusal.BlockedAccount);
        vm.prank(admin);
        token.unblockAccount(alice);
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        vm.assertEq(token.balanceOf(alice), 100e18);
    }

    function test_refusesMoreThanTheHolderHas() public {
        refuses(signedItem(ALICE_KEY, 100.01e18, "Send EUR 100.01 to x"), RedemptionRefusal.InsufficientBalance);
        redeem(signedItem(ALICE_KEY, 100e18, "Send EUR 100 to x"));
        vm.assertEq(token.balanceOf(alice), 0);
    }

    function test_refusesWhatTheHolderDidNotSign() public {
        refuses(redeemItem(alice, 10e18, TEN, signMessage(BOB_KEY, TEN)), RedemptionRefusal.InvalidSignature);
        refuses(redeemItem(alice, 10e18, "Send EUR 10 to a", signMessage(ALICE_KEY, TEN)), RedemptionRefusal.InvalidSignature);
        refuses(redeemItem(alice, 10e18, "Send EUR 10 to b", ""), RedemptionRefusal.InvalidSignature);
        refuses(redeemItem(alice, 10e18, "Send EUR 10 to c", new bytes(64)), RedemptionRefusal.InvalidSignature);
        refuses(redeemItem(alice, 10e18, "Send EUR 10 to d", new bytes(65)), RedemptionRefusal.InvalidSignature);
        bytes memory longer = bytes.concat(signMessage(ALICE_KEY, "Send EUR 10 to e"), hex"00");
        refuses(redeemItem(alice, 10e18, "Send EUR 10 to e", longer), RedemptionRefusal.InvalidSignature);
    }

    function test_refusesTheZeroAddressThoughRecoveryOfGarbageYieldsIt() public {
        refuses(redeemItem(address(0), 10e18, TEN, new bytes(65)), RedemptionRefusal.InsufficientBalance);
        // Even if that account held tokens.
        bytes32 slot = keccak256(abi.encode(address(0), 0x1dda33fdcd7a222cda16292c75c34b3ca4d0536784e396efcf68636bb639be00));
        vmStore(slot, bytes32(uint256(50e18)));
        vm.assertEq(token.balanceOf(address(0)), 50e18);
        refuses(redeemItem(address(0), 10e18, "Send EUR 10 to a", new bytes(65)), RedemptionRefusal.InvalidSignature);
    }

    function vmStore(bytes32 slot, bytes32 value) private {
        (bool stored,) = address(vm).call(abi.encodeWithSignature("store(address,bytes32,bytes32)", address(token), slot, value));
        vm.assertTrue(stored);
    }

    function test_anAccountWithCodeMaySignWithItsKey() public {
        vm.etch(alice, abi.encodePacked(hex"ef0100", address(new ApprovingWallet())));
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        vm.assertEq(token.balanceOf(alice), 90e18);
        refuses(redeemItem(alice, 10e18, "Send EUR 10 to x", signMessage(BOB_KEY, "Send EUR 10 to x")), RedemptionRefusal.InvalidSignature);
    }

    function test_oneBadItemOfEachKindHoldsNothingUp() public {
        vm.prank(admin);
        token.blockAccount(bob);
        RedeemItem[] memory items = new RedeemItem[](9);
        items[0] = signedItem(ALICE_KEY, 1e18, "Send EUR 1 to first");
        items[1] = redeemItem(alice, 1e18, "", "");
        items[2] = signedItem(ALICE_KEY, 1e18, "Send GBP 1 to x");
        items[3] = signedItem(ALICE_KEY, type(uint256).max, "Send EUR 1 to x");
        items[4] = signedItem(BOB_KEY, 1e18, "Send EUR 1 to x");
        items[5] = signedItem(ALICE_KEY, 1_000e18, "Send EUR 1000 to x");
        items[6] = redeemItem(alice, 1e18, "Send EUR 1 to y", hex"00");
        items[7] = items[0];
        items[8] = signedItem(ALICE_KEY, 2e18, "Send EUR 2 to last");
        expectRedeemed(items[0]);
        expectRefusedRedemption(items[1], RedemptionRefusal.MalformedMessage);
        expectRefusedRedemption(items[2], RedemptionRefusal.WrongCurrency);
        expectRefusedRedemption(items[3], RedemptionRefusal.WrongAmount);
        expectRefusedRedemption(items[4], RedemptionRefusal.BlockedAccount);
        expectRefusedRedemption(items[5], RedemptionRefusal.InsufficientBalance);
        expectRefusedRedemption(items[6], RedemptionRefusal.InvalidSignature);
        expectRedeemed(items[8]);
        vm.prank(operator);
        token.redeem(items);
        vm.assertEq(token.balanceOf(alice), 97e18);
        vm.assertEq(token.totalSupply(), 197e18);
    }

    function test_revertsAsAWholeWhenPaused() public {
        vm.prank(admin);
        token.pause();
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        redeem(signedItem(ALICE_KEY, 10e18, TEN));
        vm.assertFalse(token.messageUsed(alice, hashOf(TEN)));
    }

    function testFuzz_noSignatureButTheHoldersBurns(bytes memory signature, uint256 key) public {
        refuses(redeemItem(alice, 10e18, TEN, signature), RedemptionRefusal.InvalidSignature);
        key = bound(key, 1, CURVE_ORDER - 1);
        vm.assume(key != ALICE_KEY);
        refuses(redeemItem(alice, 10e18, "Send EUR 10 to x", signMessage(key, "Send EUR 10 to x")), RedemptionRefusal.InvalidSignature);
    }

    function testFuzz_onlyTheSignedAmountBurns(uint256 claimed, uint16 cents) public {
        uint256 amount = bound(cents, 1, 9_999) * 1e16;
        string memory message = string.concat("Send EUR ", vm.toString(amount / 1e18), ".", vm.toString(amount / 1e17 % 10), vm.toString(amount / 1e16 % 10), " to x");
        claimed = bound(claimed, 0, 200e18);
        redeem(signedItem(ALICE_KEY, claimed, message));
        vm.assertEq(token.balanceOf(alice), claimed == amount ? 100e18 - amount : 100e18);
        redeem(signedItem(BOB_KEY, amount, message));
        vm.assertEq(token.balanceOf(bob), 100e18 - amount);
    }
}
