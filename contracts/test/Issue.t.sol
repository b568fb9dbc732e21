// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {BlockableERC20} from "../src/BlockableERC20.sol";
import {IEMoneyToken, IssueItem, IssueRefusal} from "../src/IEMoneyToken.sol";
import {TokenTest} from "./support/TokenTest.sol";

contract IssueTest is TokenTest {
    function expectIssued(IssueItem memory item) private {
        vm.expectEmit(true, true, true, true, address(token));
        emit IERC20.Transfer(address(0), item.account, item.amount);
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.Issued(item.orderId, item.account, item.amount, item.sequence);
    }

    function expectRefused(IssueItem memory item, IssueRefusal reason) private {
        vm.expectEmit(true, true, true, true, address(token));
        emit IEMoneyToken.IssueRefused(item.orderId, item.account, item.amount, reason);
    }

    function test_mintsEachItem() public {
        IssueItem[] memory items = new IssueItem[](3);
        items[0] = issueItem(7, alice, 10e18);
        items[1] = issueItem(300, bob, 5e18);
        items[2] = issueItem(8, alice, 1e16);
        for (uint256 i = 0; i < 3; ++i) expectIssued(items[i]);
        vm.prank(operator);
        token.issue(items);

        vm.assertEq(token.balanceOf(alice), 10.01e18);
        vm.assertEq(token.balanceOf(bob), 5e18);
        vm.assertEq(token.totalSupply(), 15.01e18);
        vm.assertEq(token.mintAllowance(operator), 1_000_000e18 - 15.01e18);
        vm.assertTrue(token.sequenceUsed(7) && token.sequenceUsed(8) && token.sequenceUsed(300));
        vm.assertFalse(token.sequenceUsed(6) || token.sequenceUsed(9) || token.sequenceUsed(299) || token.sequenceUsed(263));
    }

    function test_passesOverAUsedSequenceInSilence() public {
        issue(issueItem(7, alice, 10e18));
        vm.recordLogs();
        issue(issueItem(7, bob, 99e18));
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(token.balanceOf(bob), 0);
        vm.assertEq(token.totalSupply(), 10e18);
    }

    function test_mintsASequenceOnceWithinABatchEvenWhenWordsAlternate() public {
        IssueItem[] memory items = new IssueItem[](6);
        items[0] = issueItem(255, alice, 1);
        items[1] = issueItem(256, alice, 2);
        items[2] = issueItem(255, alice, 4);
        items[3] = issueItem(256, alice, 8);
        items[4] = issueItem(0, alice, 16);
        items[5] = issueItem(type(uint64).max, alice, 32);
        vm.prank(operator);
        token.issue(items);
        vm.assertEq(token.balanceOf(alice), 1 + 2 + 16 + 32);
        vm.assertEq(token.totalSupply(), 51);
        vm.assertTrue(token.sequenceUsed(255) && token.sequenceUsed(256) && token.sequenceUsed(0) && token.sequenceUsed(type(uint64).max));
    }

    function test_refusesForGoodAndGoesOn() public {
        vm.prank(admin);
        token.blockAccount(bob);
        IssueItem[] memory items = new IssueItem[](5);
        items[0] = issueItem(0, bob, 1e18);
        items[1] = issueItem(1, address(0), 1e18);
        items[2] = issueItem(2, address(token), 1e18);
        items[3] = issueItem(3, alice, 0);
        items[4] = issueItem(4, alice, 1e18);
        expectRefused(items[0], IssueRefusal.BlockedAccount);
        expectRefused(items[1], IssueRefusal.InvalidAccount);
        expectRefused(items[2], IssueRefusal.InvalidAccount);
        expectRefused(items[3], IssueRefusal.ZeroAmount);
        expectIssued(items[4]);
        vm.prank(operator);
        token.issue(items);
        vm.assertEq(token.totalSupply(), 1e18);
        vm.assertEq(token.mintAllowance(operator), 1_000_000e18 - 1e18);

        vm.prank(admin);
        token.unblockAccount(bob);
        vm.recordLogs();
        vm.prank(operator);
        token.issue(items);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(token.balanceOf(bob), 0);
    }

    function test_revertsAsAWholeBeyondTheAllowance() public {
        IssueItem[] memory items = new IssueItem[](2);
        items[0] = issueItem(0, alice, 1_000_000e18);
        items[1] = issueItem(1, bob, 1);
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.MintAllowanceExceeded.selector, operator, 1_000_000e18));
        vm.prank(operator);
        token.issue(items);
        vm.assertFalse(token.sequenceUsed(0));
        vm.assertEq(token.balanceOf(alice), 0);

        items[1].amount = 0;
        vm.prank(operator);
        token.issue(items);
        vm.assertEq(token.mintAllowance(operator), 0);
    }

    function test_anAmountThatWouldWrapTheAllowanceReverts() public {
        IssueItem[] memory items = new IssueItem[](2);
        items[0] = issueItem(0, alice, 2);
        items[1] = issueItem(1, alice, type(uint256).max);
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.MintAllowanceExceeded.selector, operator, 1_000_000e18));
        vm.prank(operator);
        token.issue(items);
    }

    function test_theSupplyNeverReachesTheBlockedFlag() public {
        vm.prank(admin);
        token.setMintAllowance(operator, type(uint256).max);
        issue(issueItem(0, alice, 2 ** 255 - 1));
        vm.assertFalse(token.blocked(alice));
        vm.prank(admin);
        token.setMintAllowance(operator, type(uint256).max);
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.SupplyTooLarge.selector, 2 ** 255 - 1, 1));
        issue(issueItem(1, alice, 1));
        vm.expectRevert(abi.encodeWithSelector(BlockableERC20.SupplyTooLarge.selector, 2 ** 255 - 1, 2 ** 255 + 1));
        issue(issueItem(1, alice, 2 ** 255 + 1));
    }

    function test_eachOperatorHasItsOwnAllowance() public {
        bytes32 role = token.OPERATOR_ROLE();
        vm.prank(admin);
        token.grantRole(role, bob);
        IssueItem[] memory items = new IssueItem[](1);
        items[0] = issueItem(0, alice, 1);
        vm.expectRevert(abi.encodeWithSelector(IEMoneyToken.MintAllowanceExceeded.selector, bob, 0));
        vm.prank(bob);
        token.issue(items);
    }

    function test_revertsAsAWholeWhenPaused() public {
        vm.prank(admin);
        token.pause();
        vm.expectRevert(PausableUpgradeable.EnforcedPause.selector);
        issue(issueItem(0, alice, 1));
        vm.prank(admin);
        token.unpause();
        issue(issueItem(0, alice, 1));
        vm.assertEq(token.balanceOf(alice), 1);
    }

    function test_anEmptyBatchChangesNothing() public {
        vm.prank(operator);
        token.issue(new IssueItem[](0));
        vm.assertFalse(token.sequenceUsed(0));
        vm.assertEq(token.mintAllowance(operator), 1_000_000e18);
    }

    function testFuzz_anyBatchMintsTheSumOfItsDistinctGoodItems(uint64[8] memory sequences, uint128[8] memory amounts, uint8 spread) public {
        vm.prank(admin);
        token.setMintAllowance(operator, type(uint256).max);
        IssueItem[] memory items = new IssueItem[](8);
        uint256 sum;
        for (uint256 i = 0; i < 8; ++i) {
            items[i] = issueItem(sequences[i] % (uint64(spread) * 8 + 1), alice, amounts[i]);
            bool again;
            for (uint256 j = 0; j < i; ++j) again = again || items[j].sequence == items[i].sequence;
            if (!again) sum += amounts[i];
        }
        for (uint256 round = 0; round < 2; ++round) {
            vm.prank(operator);
            token.issue(items);
            vm.assertEq(token.balanceOf(alice), sum);
            vm.assertEq(token.totalSupply(), sum);
            vm.assertEq(token.mintAllowance(operator), type(uint256).max - sum);
        }
        for (uint256 i = 0; i < 8; ++i) vm.assertTrue(token.sequenceUsed(items[i].sequence));
    }
}
